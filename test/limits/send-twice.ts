import type { Chance } from '../crash/chance.ts'
import type { Client, Sent } from '../crash/client.ts'

/**
 * Sends one in ten requests twice at once, as a client does that repeats too early. If one of the two gets no answer,
 * a refusal of the other does not count: the one without an answer may have come later, and have taken effect.
 */
export async function sendSomeTwice(client: Client, sent: Sent, chance: Chance): Promise<void> {
  if (!chance.odds(0.1)) return
  const answered = await Promise.all([client.send(sent), client.send(sent)])
  if (answered.includes(false)) sent.answer = undefined
}
