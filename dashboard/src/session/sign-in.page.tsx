import { RailyardError } from '@railyard/client'
import { type FormEvent, type ReactNode, useState } from 'react'
import { clientOf, isSignedOut } from '../api/client.ts'
import { TextField } from '../parts/forms/field.tsx'
import { ErrorNotice, Notice } from '../parts/messages/notice.tsx'
import { Button } from '../parts/page/button.tsx'
import { useTitle } from '../parts/page/use-title.ts'
import { sessionWords as words } from '../words/session.ts'
import { EntryPage } from './entry-page.tsx'
import { isRefusedByBrowser, knowsPasskeys, signInWithPasskey } from './passkey.ts'

/** Signs a person in with address, password and, where one is in use, a code of the authenticator app. */
export function SignInPage({
  hasEnded,
  onDone,
}: {
  hasEnded: boolean
  onDone: () => Promise<void>
}): ReactNode {
  const [emailAddress, setEmailAddress] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [needsCode, setNeedsCode] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  useTitle(words.signIn)

  const signIn = async (open: () => Promise<unknown>) => {
    setBusy(true)
    setError(undefined)
    try {
      await open()
      await onDone()
    } catch (failure) {
      if (failure instanceof RailyardError && failure.code === 'totp_required') setNeedsCode(true)
      else setError(failure)
    } finally {
      setBusy(false)
    }
  }
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    void signIn(() =>
      clientOf(undefined).sessions.create({
        email_address: emailAddress,
        password,
        ...(needsCode && { totp_code: code }),
      }),
    )
  }

  return (
    <EntryPage title={words.toRailyard}>
      {hasEnded && <Notice>{words.ended}</Notice>}
      <form onSubmit={send} className="grid gap-4">
        <TextField
          label={words.emailAddress}
          type="email"
          autoComplete="username"
          required
          value={emailAddress}
          onChange={setEmailAddress}
        />
        <TextField
          label={words.password}
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={setPassword}
        />
        {needsCode && (
          <TextField
            label={words.code}
            hint={words.codeNeeded}
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
            required
            value={code}
            onChange={setCode}
          />
        )}
        {isSignedOut(error) ? (
          <Notice tone="bad">{words.wrong}</Notice>
        ) : isRefusedByBrowser(error) ? (
          <Notice tone="bad">{words.passkeyFailed}</Notice>
        ) : error ? (
          <ErrorNotice error={error} />
        ) : null}
        <Button type="submit" look="primary" busy={isBusy}>
          {words.signIn}
        </Button>
      </form>
      {knowsPasskeys() && (
        <Button busy={isBusy} onClick={() => void signIn(() => signInWithPasskey(clientOf(undefined)))}>
          {words.passkey}
        </Button>
      )}
      <p className="text-sm text-ink-3">{words.noAccount}</p>
    </EntryPage>
  )
}
