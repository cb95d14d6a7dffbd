import type { ProviderToken } from '../../../src/elements/providers/types.d.ts'
import { errorOf, RailyardElementsError } from './error.ts'
import type { Frame } from './frame.ts'
import type { Listeners } from './listeners.ts'
import type { CardChange, CardFieldName, SubmittedCard } from './messages.ts'

interface Waiting {
  resolve: (card: SubmittedCard) => void
  reject: (error: Error) => void
}

/** The conversation with the frame that holds a card. */
export function holderOf(listeners: Listeners) {
  const waiting = new Map<number, Waiting>()
  let last = 0
  return {
    /** Messages of the frame. */
    receive(message: Record<string, unknown>): void {
      const settled = waiting.get(Number(message['id']))
      if (message['kind'] === 'change') {
        const { complete, brand, last4, fields } = message as unknown as CardChange
        listeners.emit('change', { complete, brand, last4, fields })
      } else if (message['kind'] === 'focus' || message['kind'] === 'blur')
        listeners.emit(message['kind'], message['field'] as CardFieldName)
      else if (message['kind'] === 'enter') listeners.emit('submit', undefined)
      else if (settled) {
        waiting.delete(Number(message['id']))
        const { brand, last4 } = message as unknown as SubmittedCard
        if (message['kind'] === 'submitted') settled.resolve({ brand, last4 })
        else settled.reject(errorOf(message['code']))
      }
    },
    /** Puts the card that the frame holds into the session; or the token that a provider's script made. */
    async submit(frame: Frame | undefined, token?: ProviderToken): Promise<SubmittedCard> {
      if (!frame) throw new RailyardElementsError('unmounted')
      await frame.started
      const id = ++last
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        frame.send(token ? { ...token, kind: 'token', id } : { kind: 'submit', id })
      })
    },
    /** Ends what waits for a frame that is removed. */
    close(): void {
      for (const { reject } of waiting.values()) reject(new RailyardElementsError('unmounted'))
      waiting.clear()
    },
  }
}

/** Tells the listeners when an element has started, or that it has not. */
export function announce(started: Promise<unknown>, listeners: Listeners): void {
  started.then(
    () => listeners.emit('ready', undefined),
    (error) => {
      if (error instanceof RailyardElementsError && error.code !== 'unmounted') listeners.emit('error', error)
    },
  )
}
