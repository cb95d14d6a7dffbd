import type { InvitedUser } from '@railyard/client'
import type { ReactNode } from 'react'
import { SecretDialog } from '../../parts/dialogs/secret-dialog.tsx'
import { Time } from '../../parts/values/values.tsx'
import { peopleWords as words } from '../../words/settings/people.ts'

/** The link of an invitation, which opens an account. */
export const InvitationLink = ({
  of: { invitation_url, invitation_expires_at },
  onClose,
}: {
  of: InvitedUser
  onClose: () => void
}): ReactNode => (
  <SecretDialog
    title={words.linkTitle}
    text={words.linkText}
    label={words.link}
    secret={invitation_url}
    onClose={onClose}
  >
    <p className="mt-3 text-sm text-ink-2">
      {words.linkUntil} <Time at={invitation_expires_at} form="both" />
    </p>
  </SecretDialog>
)
