import type { Clock } from '../../world.ts'

/** What signs a simulator's notifications. */
export interface SigningCertificate {
  /** PEM. */
  certificate: string
  /** PEM. */
  privateKey: string
}

const YEAR_MS = 365 * 86_400_000

/** Made when it is first needed, and anew with each simulator. */
export function signingCertificate(clock: Clock): () => Promise<SigningCertificate> {
  let made: Promise<SigningCertificate> | undefined
  const make = async (): Promise<SigningCertificate> => {
    // megabytes that only a wallet payment needs
    const { generate } = await import('selfsigned')
    const { cert, private: privateKey } = await generate([{ name: 'commonName', value: 'Sandbox wallet notifications' }], {
      keySize: 2048,
      algorithm: 'sha256',
      // a test's clock runs ahead of the time at which things are made
      notBeforeDate: new Date(Math.min(clock.now(), Date.now()) - YEAR_MS),
      notAfterDate: new Date(clock.now() + 10 * YEAR_MS),
    })
    return { certificate: cert, privateKey }
  }
  return () => {
    made ??= make()
    return made
  }
}
