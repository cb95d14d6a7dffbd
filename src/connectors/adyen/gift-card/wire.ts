import type { GiftCardForCall, GiftCardServiceCall } from '../../contract/gift-card-connector.ts'
import type { HttpAnswer } from '../../wire/http-message.ts'
import type { AdyenOptions, Api } from '../environment.ts'
import { merchantAccountOf, send } from '../wire.ts'

export const brandOf = ({ service }: GiftCardServiceCall): string => service.fields['brand'] ?? ''

/** The card as the Stored Value API names it. */
export const storedValueCard = (call: GiftCardServiceCall, { number, pin }: GiftCardForCall) => ({
  type: brandOf(call),
  number,
  ...(pin !== null && { securityCode: pin }),
})

/** Sends a request for this service's merchant account; null: the service is not configured for the API. */
export const sendGiftCard = (
  options: AdyenOptions,
  call: GiftCardServiceCall,
  api: Extract<Api, 'checkout' | 'stored-value'>,
  path: string,
  body: Readonly<Record<string, unknown>>,
  idempotencyKey?: string,
): Promise<HttpAnswer | null> =>
  send(options, call, {
    api,
    path,
    body: { merchantAccount: merchantAccountOf(call), ...body },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  })
