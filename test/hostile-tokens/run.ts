import { generateKey, readSigner, signToken } from '../../src/accounts/api-keys/private-key.ts'
import { findSigningKey } from '../../src/accounts/api-keys/signing-key.ts'
import { algorithms, tokenVerifier } from '../../src/api/auth/token.ts'
import { proof } from '../support/proof.ts'
import { startTestRailyard } from '../support/railyard.ts'
import { attacksOn } from './attacks.ts'

// npm run test:tokens

// run alone in its own process: it measures what refusing a token costs, without HTTP
const { rounds } = proof('tokens', { rounds: 20 })

const railyard = await startTestRailyard()
const verify = tokenVerifier(railyard.world.clock, (kid) => findSigningKey(railyard.world, kid))
let worst = 0
for (const algorithm of algorithms) {
  const [attacked, other, revoked] = await Promise.all([
    railyard.client({ account: 'default', algorithm }),
    railyard.client({ account: 'default', algorithm: algorithm === 'ES256' ? 'EdDSA' : 'ES256' }),
    railyard.client({ account: 'default', algorithm }),
  ])
  await railyard.admin.delete(`/api-key-pairs/${revoked.keyId}`)
  const stranger = await readSigner(
    (await generateKey(algorithm)).privateKeyPem,
    algorithm === 'RS256' ? 'RS256' : 'RS512',
  )
  const token = await signToken(attacked.signer, { scopes: ['*.read'], expiresIn: 3_600 }, Date.now())
  const attacks = await Promise.all(
    Object.entries(
      attacksOn(
        { token, signer: attacked.signer },
        { other: other.signer, stranger, revoked: revoked.signer },
      ),
    ).map(async ([name, made]) => [name, await made] as const),
  )
  let accepted = 0
  let slowest = { name: '', ms: 0 }
  const all = process.cpuUsage()
  for (const [name, hostile] of attacks) {
    const before = process.cpuUsage()
    for (let round = 0; round < rounds; round++) {
      await verify(hostile).then(
        () => accepted++,
        () => undefined,
      )
    }
    const { user, system } = process.cpuUsage(before)
    const ms = (user + system) / 1_000 / rounds
    if (ms > slowest.ms) slowest = { name, ms }
  }
  const { user, system } = process.cpuUsage(all)
  worst = Math.max(worst, slowest.ms)
  const mean = (user + system) / 1_000 / rounds / attacks.length
  console.log(
    `${algorithm}: ${attacks.length} tokens, ${accepted} accepted, ${mean.toFixed(2)} ms of CPU each, at most ${slowest.ms.toFixed(2)} (${slowest.name})`,
  )
  if (accepted > 0) process.exitCode = 1
}
await railyard.close()
if (worst >= 5) process.exitCode = 1
