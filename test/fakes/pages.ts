import { readFileSync } from 'node:fs'
import { root } from '../crash/process.ts'
import { blocksOf } from '../documents/blocks.ts'
import type { FakeName, HostedFake } from './hosted-fake.ts'

export const SCRIPT_PATH = '/fake/script.js'

/** The page of the provider's guide that takes a card, with the fake's script in place of the provider's. */
export function cardPage(name: FakeName, { scriptUrls, credentials }: HostedFake, ownUrl: string): string {
  const page = blocksOf(`${root}docs/guides/first-payment-with-${name}.md`).find(
    ({ language, info }) => language === 'html' && info === 'page.html',
  )
  if (!page) throw new Error(`the guide of ${name} has no page.html`)
  const publicKey = Object.entries(credentials).find(([variable]) =>
    /PUBLISHABLE_KEY|PUBLIC_KEY|CLIENT_KEY|PROFILE_ID/.test(variable),
  )
  return page.code
    .replaceAll(scriptUrls, `${ownUrl}${SCRIPT_PATH}`)
    .replace(/<link rel="stylesheet"[^>]*>\n/, '')
    .replaceAll('YOUR_PUBLIC_KEY', publicKey?.[1] ?? '')
    .replaceAll('NONCE', crypto.randomUUID())
    .replace(/(script-src|connect-src)/g, `$1 ${ownUrl}`)
}

export const scriptOf = ({ script }: HostedFake, ownUrl: string): string =>
  readFileSync(script, 'utf8').replaceAll('FAKE_URL', ownUrl)

/** The page on which the buyer confirms a payment, or does not. */
export const challengePage = (provider: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Fake ${provider}</title>
<style>body { font: 1rem system-ui; max-width: 30rem; margin: 3rem auto }</style>
<h1>Fake ${provider}</h1>
<p>The provider asks you, the buyer, to confirm this payment. No real money moves.</p>
<form method="post">
<button name="decision" value="approve">Confirm</button>
<button name="decision" value="decline">Decline</button>
</form>
</html>
`
