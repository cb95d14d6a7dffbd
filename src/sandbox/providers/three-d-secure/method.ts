import { Compile } from '../../../base/compile.ts'
import { html, verbatim } from '../../../page/html.ts'
import { documentStore } from '../../core/documents.ts'
import { type Answer, problem } from '../../core/provider-messages.ts'
import { htmlAnswer } from '../../page/html-answer.ts'
import type { Sandbox } from '../../sandbox.ts'
import { MethodData } from './message.schema.ts'
import { decodedMessage } from './message.ts'
import { returnScript } from './return-script.ts'

/** The browsers that an issuer's access control server has seen, by the 3DS server's transaction id. */
const seen = documentStore<{ notificationURL: string }>('3ds-acs-method')

/** The page of the issuer that sees a cardholder's browser before an authentication. */
export const methodUrl = (sandbox: Sandbox): string => `${sandbox.pagesUrl()}/3ds/acs/method`

export const hasSeenBrowser = (sandbox: Sandbox, threeDSServerTransID: string): boolean =>
  seen.find(sandbox, threeDSServerTransID) !== undefined

const methodData = Compile(MethodData)

/**
 * The issuer's page in a hidden frame (EMV 3DS, 3DS method): a real one measures the browser. It tells its end by a
 * form that it posts to the requestor's page.
 */
export function runMethod(sandbox: Sandbox, body: unknown): Answer {
  const form: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {}
  const data = decodedMessage(String(form['threeDSMethodData']))
  if (!methodData.Check(data)) return problem(400, 'invalid_method_data', 'threeDSMethodData cannot be read')
  const { threeDSServerTransID, threeDSMethodNotificationURL: notificationURL } = data
  seen.store(sandbox, threeDSServerTransID, { notificationURL })
  const end = Buffer.from(JSON.stringify({ threeDSServerTransID })).toString('base64url')
  return htmlAnswer(200, methodPage(notificationURL, end), returnScript, '*')
}

const methodPage = (notificationURL: string, end: string): string =>
  html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Your bank</title></head>
<body>
<form method="post" action="${notificationURL}"><input type="hidden" name="threeDSMethodData" value="${end}"></form>
<script>${verbatim(returnScript)}</script>
</body>
</html>
`.markup
