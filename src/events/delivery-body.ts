/** What a delivery sends, as JSON, or why it cannot be sent. */
export type DeliveryBody = string | Unsendable

export interface Unsendable {
  /** Why, for the list of deliveries. */
  reason: string
  /** It can never be sent, so the delivery is given up. False: it is tried again, as after a failed attempt. */
  isFinal: boolean
  /** What was thrown, for the log. */
  cause?: unknown
}

/**
 * The JSON of what `show` answers. An event that cannot be shown fails its own delivery only: an exception would
 * end the turn of the queue, and would do so in every turn.
 */
export function deliveryBody(show: () => object): DeliveryBody {
  try {
    return JSON.stringify(show())
  } catch (cause) {
    return { reason: 'could not be sent', isFinal: false, cause }
  }
}
