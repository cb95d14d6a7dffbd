import type { Connector } from '../contract/connector.ts'
import { capture, refund } from './capture.ts'
import { definition } from './definition.ts'
import type { MollieOptions } from './environment.ts'
import { close, find } from './find.ts'
import { methodDefinition, mollieMethods } from './methods.ts'
import { readNotification } from './notification.ts'
import { openPage, payByCard } from './payment.ts'
import { registerNotifications, verifyCredentials } from './registration.ts'
import { cancel, release } from './release.ts'
import { offeredReports, settlementReport } from './settlement-report.ts'

/** What every method of the provider has. `type`: the provider's name of the method. */
const shared = (options: MollieOptions, type: string) =>
  ({
    find: (call) => find(options, call),
    close: (call) => close(options, call),
    findReadsPayment: ['capture', 'void', 'cancel', 'refund'],
    verifyCredentials: (call) => verifyCredentials(options, call),
    readNotification: (call, message) => readNotification(options, call, message),
    registerNotifications: (call) => registerNotifications(options, call),
    settlementReport,
    offeredReports: (call, since) => offeredReports(options, call, type, since),
  }) satisfies Partial<Connector>

/** Cards. */
export const mollieCard = (options: MollieOptions): Connector => ({
  definition,
  operations: {
    authorize: (call) => payByCard(options, call),
    sale: (call) => payByCard(options, call),
    capture: (call) => capture(options, call),
    void: (call) => release(options, call),
    cancel: (call) => cancel(options, call),
    refund: (call) => refund(options, call),
  },
  ...shared(options, 'creditcard'),
})

/** The redirect methods, each a payment service of its own. */
export const mollieRedirects = (options: MollieOptions): Connector[] =>
  mollieMethods.map((method) => ({
    definition: methodDefinition(method),
    operations: {
      ...(method.delayedCapture && {
        authorize: (call) => openPage(options, method, call),
        capture: (call) => capture(options, call),
        void: (call) => release(options, call),
      }),
      sale: (call) => openPage(options, method, call),
      cancel: (call) => cancel(options, call),
      refund: (call) => refund(options, call),
    },
    ...shared(options, method.type),
  }))
