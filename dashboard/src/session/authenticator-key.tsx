import { lazy, type ReactNode, Suspense } from 'react'
import { CopyText } from '../parts/values/values.tsx'
import { sessionWords as words } from '../words/session.ts'

/** For few visits: loaded when it is needed. */
const QrCode = lazy(() => import('../parts/values/qr-code.tsx'))

/** The key of an authenticator app, to be scanned, typed, or opened by an app on this device. */
export const AuthenticatorKey = ({ secret, uri }: { secret: string; uri: string }): ReactNode => (
  <div className="grid justify-items-start gap-2">
    <Suspense fallback={<div className="skeleton size-48" />}>
      <QrCode text={uri} label={words.qrCode} />
    </Suspense>
    <p className="text-sm font-medium">{words.key}</p>
    <CopyText text={secret} />
    {uri.startsWith('otpauth://') && (
      <a href={uri} className="py-1 text-sm underline">
        {words.openInApp}
      </a>
    )}
  </div>
)
