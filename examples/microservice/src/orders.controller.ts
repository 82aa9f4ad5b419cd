import { Controller, Get } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { Orders } from './orders.js';

@Controller('orders')
export class OrdersController {
  constructor(private readonly orders: Orders) {}

  /** A message of another service. */
  @MessagePattern('orders.place')
  place(@Payload() id: string): string {
    this.orders.place(id);
    return id;
  }

  /** A request. */
  @Get('settled')
  settled(): readonly string[] {
    return this.orders.allSettled;
  }
}
