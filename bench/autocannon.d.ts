/** The part of autocannon that `load.process.ts` uses; the package has no types. */
declare module 'autocannon' {
  export interface Request {
    method: string
    path: string
    headers: Record<string, string>
    body?: string
    setupRequest?: (request: Request) => Request
  }
  interface Options {
    url: string
    connections: number
    requests: Request[]
    duration?: number
    amount?: number
    timeout: number
    sampleInt: number
    excludeErrorStats: boolean
  }
  interface Run extends PromiseLike<{ errors: number }> {
    stop(): void
    on(event: 'response', heard: (client: unknown, status: number, bytes: number, ms: number) => void): void
  }
  export default function autocannon(options: Options): Run
}
