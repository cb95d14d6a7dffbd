/** A line of the payment's timeline (semantics §3.17). */
export interface TimelineEntry {
  id: string
  name: string
  created_at: string
  context: Record<string, unknown>
}
