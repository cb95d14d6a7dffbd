import { setTimeout as wait } from 'node:timers/promises'

export interface Probe {
  at: number
  ms: number
  /** 0: no answer, or a 503 without `Retry-After`. */
  status: number
}

/** Requests that need the database, each tenth of a second to the next process, until it is stopped. */
export interface Probing {
  /** Those that are answered by now. */
  answered: readonly Probe[]
  stop(): Promise<void>
}

interface ProbeOptions {
  /** Every second request is one that writes a row (POST /buyers). */
  write?: boolean
  /** The merchant account of the requests; absent: the token's. */
  account?: string | undefined
}

export function probe(
  apis: readonly string[],
  token: string,
  { write = false, account }: ProbeOptions = {},
): Probing {
  const answered: Probe[] = []
  const asked: Promise<unknown>[] = []
  let stopped = false
  const ask = async (api: string, isWrite: boolean): Promise<void> => {
    const at = performance.now()
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(account !== undefined && { 'x-svc-merchant-account-id': account }),
    }
    const sent = isWrite
      ? fetch(`${api}/buyers`, { method: 'POST', headers, body: '{"display_name":"Probe"}' })
      : fetch(`${api}/transactions?limit=1`, { headers })
    const status = await sent.then(
      async (answer) => {
        await answer.arrayBuffer()
        return answer.status === 503 && answer.headers.get('retry-after') === null ? 0 : answer.status
      },
      () => 0,
    )
    answered.push({ at, ms: performance.now() - at, status })
  }
  const asking = (async () => {
    for (let turn = 0; !stopped; turn++) {
      const api = apis[turn % apis.length]
      if (api) asked.push(ask(api, write && turn % (2 * apis.length) < apis.length))
      await wait(100)
    }
  })()
  return {
    answered,
    async stop() {
      stopped = true
      await asking
      await Promise.all(asked)
    },
  }
}

export const isRefusal = ({ status }: Probe): boolean => status >= 300 || status === 0
