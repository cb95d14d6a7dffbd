import { importJWK, jwtVerify } from 'jose'
import { answer } from '../assistant.ts'

export interface VerifyQuestion {
  publicJwk: Record<string, unknown>
  algorithm: string
  tokens: string[]
  seconds: number
  callers: number
}

/**
 * The token verifications of this machine without other load: the limit of any server whose clients use each
 * token once.
 */
answer(
  async ({ publicJwk, algorithm, tokens, seconds, callers }: VerifyQuestion): Promise<{ rate: number }> => {
    const key = await importJWK(publicJwk, algorithm)
    const began = performance.now()
    const until = began + seconds * 1000
    let done = 0
    await Promise.all(
      Array.from({ length: callers }, async () => {
        while (performance.now() < until)
          await jwtVerify(tokens[done++ % tokens.length] ?? '', key, { algorithms: [algorithm] })
      }),
    )
    return { rate: (done / (performance.now() - began)) * 1000 }
  },
)
