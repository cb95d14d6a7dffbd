import type { GiftCardConnector } from '../../contract/gift-card-connector.ts'
import type { AdyenOptions } from '../environment.ts'
import { close, find, readNotification } from './books.ts'
import { definition } from './definition.ts'
import { refund, reverse } from './put-back.ts'
import { redeem } from './redeem.ts'
import { unsendable } from './refusals.ts'
import { activate, balance } from './stored-value.ts'

/** Gift cards of one brand. */
export const adyenGiftCard = (options: AdyenOptions): GiftCardConnector => ({
  definition: definition(options),
  balance: (call, card) => balance(options, call, card),
  operations: {
    redeem: (call) => redeem(options, call),
    reverse: (call) => reverse(options, call),
    refund: (call) => refund(options, call),
    activate: (call) => activate(options, call),
    // the provider answers the new card's number, and no page that shows it
    issue: async () =>
      unsendable('invalid_service_configuration', 'this gift card service issues no virtual cards'),
  },
  find: (call) => find(options, call),
  close,
  readNotification: async (call, message) => readNotification(call, message),
})
