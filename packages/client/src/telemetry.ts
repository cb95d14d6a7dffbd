/** One attempt of a request. */
export interface TelemetryRequest {
  /** The name of the method, such as `transactions.create`. */
  operation: string
  verb: string
  /** The path with `{}` for ids: it tells no customer from another. */
  path: string
  /** 0 for the first attempt. */
  attempt: number
  /** The headers that are sent: add `traceparent` here. They hold the token, so do not log them. */
  headers: Record<string, string>
}

/** What became of an attempt. */
export interface TelemetryResponse {
  /** The HTTP status; 0: there was no answer. */
  status: number
  durationMs: number
  requestId: string | undefined
  /** Undefined for an answer of 2xx. */
  error: unknown
}

/** Called before an attempt; what it answers is called behind it. An exception of either is ignored. */
export type Telemetry = (request: TelemetryRequest) => ((response: TelemetryResponse) => void) | undefined

/** Begins to watch an attempt; the answer is called when it has ended. */
export function watchAttempt(
  telemetry: Telemetry | undefined,
  request: TelemetryRequest,
): (response: Omit<TelemetryResponse, 'durationMs'>) => void {
  if (!telemetry) return () => {}
  const begin = Date.now()
  const end = attempt(() => telemetry(request))
  return (response) => void attempt(() => end?.({ ...response, durationMs: Date.now() - begin }))
}

/** A defect of the telemetry does not make a payment fail. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}
