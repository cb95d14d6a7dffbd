import type { Session, TotpSecret } from '@railyard/client'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { clientOf } from '../api/client.ts'
import { TextField } from '../parts/forms/field.tsx'
import { ErrorNotice, Notice } from '../parts/messages/notice.tsx'
import { Button } from '../parts/page/button.tsx'
import { useTitle } from '../parts/page/use-title.ts'
import { sessionWords as words } from '../words/session.ts'
import { AuthenticatorKey } from './authenticator-key.tsx'
import { EntryPage } from './entry-page.tsx'
import { addPasskey, isRefusedByBrowser, knowsPasskeys } from './passkey.ts'

/** For a session that opens nothing before its person has an authenticator app. */
export function SetUpAuthenticatorPage({
  session,
  onDone,
  onSignOut,
}: {
  session: Session
  onDone: () => Promise<void>
  onSignOut: () => Promise<void>
}): ReactNode {
  const [secret, setSecret] = useState<TotpSecret>()
  const [code, setCode] = useState('')
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    clientOf(session).users.me.totp.create().then(setSecret, setError)
  }, [session])
  const [isPasskey, setPasskey] = useState(false)
  const title = isPasskey ? words.passkeyTitle : words.authenticator
  useTitle(title)
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const send = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      if (isPasskey) await addPasskey(clientOf(session), name.trim(), { password })
      else await clientOf(session).users.me.totp.confirm({ code: code.trim() })
      await onDone()
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <EntryPage title={title}>
      <p className="text-sm text-ink-2">{isPasskey ? words.passkeyWhy : words.authenticatorWhy}</p>
      {isPasskey && (
        <form onSubmit={send} className="grid gap-4">
          <TextField
            label={words.passkeyName}
            hint={words.passkeyNameHint}
            required
            value={name}
            onChange={setName}
          />
          <TextField
            label={words.password}
            type="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={setPassword}
          />
          <Button type="submit" look="primary" busy={isBusy}>
            {words.addPasskey}
          </Button>
        </form>
      )}
      {!isPasskey && secret && (
        <>
          <AuthenticatorKey secret={secret.secret} uri={secret.uri} />
          <form onSubmit={send} className="grid gap-4">
            <TextField
              label={words.code}
              inputMode="numeric"
              autoComplete="one-time-code"
              required
              value={code}
              onChange={setCode}
            />
            <Button type="submit" look="primary" busy={isBusy}>
              {words.confirm}
            </Button>
          </form>
        </>
      )}
      {isRefusedByBrowser(error) ? (
        <Notice tone="bad">{words.passkeyFailed}</Notice>
      ) : error ? (
        <ErrorNotice error={error} />
      ) : null}
      {!isPasskey && knowsPasskeys() && (
        <Button onClick={() => setPasskey(true)}>{words.passkeyInstead}</Button>
      )}
      <Button look="quiet" onClick={() => void onSignOut()}>
        {words.signOut}
      </Button>
    </EntryPage>
  )
}
