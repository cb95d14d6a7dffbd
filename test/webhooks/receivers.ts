import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { launch } from '../crash/process.ts'
import type { Arrival } from './arrival.ts'

/** A server that is well all the time, one that is slow, and three with the troubles of their names. */
export const names = ['well', 'slow', 'fails', 'hangs', 'down'] as const
export type Name = (typeof names)[number]

/**
 * `fails`: 30 % of the requests, half of them with a 500, half by breaking off after the request was taken.
 * `down`: the port is closed.
 */
export type Manner = Name
export const isManner = (word: string): word is Manner => names.some((name) => name === word)

/** The merchants' servers, all in a process of their own that lives through everything. */
export interface Receivers {
  /** Where each listens. */
  urls: Record<Name, string>
  tellSecret(name: Name, secret: string): Promise<void>
  behave(name: Name, manner: Manner): Promise<void>
  /** How many events each has answered with 200. */
  accepted(): Promise<Record<Name, number>>
  arrivals(name: Name): Promise<Arrival[]>
  stop(): Promise<void>
}

type Shown = Record<Name, { url: string; accepted: number }>

export async function startReceivers(folder: string, seed: number): Promise<Receivers> {
  const running = launch(
    ['test/webhooks/receivers.process.ts', folder, String(seed)],
    {},
    /listening on (http\S+)/,
  )
  const { url } = await running.ready
  const ask = async (path: string, body?: string): Promise<Shown> =>
    (await (
      await fetch(`${url}/${path}`, { method: 'POST', ...(body !== undefined && { body }) })
    ).json()) as Shown
  const of = async <T>(pick: (shown: Shown[Name]) => T): Promise<Record<Name, T>> => {
    const { well, slow, fails, hangs, down } = await ask('')
    return { well: pick(well), slow: pick(slow), fails: pick(fails), hangs: pick(hangs), down: pick(down) }
  }
  return {
    urls: await of((shown) => shown.url),
    tellSecret: async (name, secret) => void (await ask(`${name}/secret`, secret)),
    behave: async (name, manner) => void (await ask(`${name}/${manner}`)),
    accepted: () => of((shown) => shown.accepted),
    async arrivals(name) {
      const lines = (await readFile(join(folder, `${name}.jsonl`), 'utf8'))
        .split('\n')
        .filter((line) => line !== '')
      return lines.map((line): Arrival => JSON.parse(line))
    },
    stop: async () => void (await running.stop()),
  }
}
