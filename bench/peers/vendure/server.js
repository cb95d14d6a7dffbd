const { Body, Controller, Inject, Post } = require('@nestjs/common')
const {
  bootstrap,
  Ctx,
  DefaultLogger,
  dummyPaymentHandler,
  LogLevel,
  OrderService,
  PaymentMethodService,
  PaymentService,
  PluginCommonModule,
  RequestContextService,
  Transaction,
  VendurePlugin,
} = require('@vendure/core')

const METHOD = 'dummy'
const services = [OrderService, PaymentService, PaymentMethodService, RequestContextService]

class Payments {
  constructor(orders, payments, methods, contexts) {
    Object.assign(this, { orders, payments, methods, contexts })
  }

  async onApplicationBootstrap() {
    await this.methods.create(await this.contexts.create({ apiType: 'admin' }), {
      code: METHOD,
      enabled: true,
      handler: { code: dummyPaymentHandler.code, arguments: [{ name: 'automaticSettle', value: 'false' }] },
      translations: [],
    })
  }

  // A payment in one request and one transaction: an order, empty since items would cost more, and its payment by
  // the built-in handler, which approves everything by itself.
  async post(ctx, { amount, metadata }) {
    const order = await this.orders.create(ctx)
    return { payment: await this.payments.createPayment(ctx, order, amount, METHOD, metadata) }
  }
}

// decorators, called by hand since this is not compiled
Controller('payments')(Payments)
for (const [index, service] of services.entries()) Inject(service)(Payments, undefined, index)
Ctx()(Payments.prototype, 'post', 0)
Body()(Payments.prototype, 'post', 1)
const method = Object.getOwnPropertyDescriptor(Payments.prototype, 'post')
for (const decorate of [Post(), Transaction()]) decorate(Payments.prototype, 'post', method)

class PaymentsPlugin {}
VendurePlugin({ imports: [PluginCommonModule], controllers: [Payments], compatibility: '3.7.3' })(PaymentsPlugin)

// Without plugins Vendure has no e-mail and no admin UI; jobs stay in its memory, and no worker runs them.
bootstrap({
  apiOptions: { hostname: '127.0.0.1', port: Number(process.env.PORT) },
  authOptions: { tokenMethod: 'bearer' },
  dbConnectionOptions: { type: 'postgres', url: process.env.DATABASE_URL, synchronize: true },
  paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
  plugins: [PaymentsPlugin],
  logger: new DefaultLogger({ level: LogLevel.Error }),
})
