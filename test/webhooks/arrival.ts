/** A request that reached a receiver, as its log has it. */
export interface Arrival {
  /** The event's, of the body. */
  id: string
  target: string
  sequence: number
  /** SHA-256 of the body. */
  hash: string
  /** Whether both forms of its signature are right, and the headers name the id of the body. */
  signed: boolean
  /** The answer to the sender; null: the request was left without one. */
  answered: 200 | 500 | null
}
