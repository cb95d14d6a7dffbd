import type { DigitalWallet } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { useMay } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { walletWords } from '../../words/connections/digital-wallets.ts'

const words = walletWords.domains

/** The domains whose pages can show Apple Pay. */
export function WalletDomains({ wallet: { id, domain_names } }: { wallet: DigitalWallet }): ReactNode {
  const may = useMay('digital-wallets.write')
  const say = useSay()
  const adding = useDialog()
  const removing = useDialog<string>()
  const [domain, setDomain] = useState('')
  const add = useAction({
    run: (api, domain_name: string) => api.digitalWallets.domains.register(id, { domain_name }),
    onDone: () => {
      say(words.added)
      setDomain('')
      adding.close()
    },
    changes: [['digital-wallets']],
  })
  return (
    <Card
      title={words.title}
      aside={
        may && (
          <Button
            onClick={() => {
              add.reset()
              adding.open(true)
            }}
          >
            {words.add}
          </Button>
        )
      }
    >
      <p className="text-sm text-ink-2">{words.text}</p>
      {domain_names.length === 0 && <p className="mt-2 text-sm text-ink-3">{words.none}</p>}
      <ul className="mt-2">
        {domain_names.map((name) => (
          <li
            key={name}
            className="flex min-h-(--row) items-center justify-between gap-3 border-t border-line first:border-t-0"
          >
            <span className="min-w-0 font-mono text-sm break-all">{name}</span>
            {may && (
              <Button look="quiet" aria-label={words.remove(name)} onClick={() => removing.open(name)}>
                {commonWords.delete}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <FormDialog
        open={adding.about !== undefined}
        onClose={adding.close}
        title={words.add}
        text={words.addText}
        submit={words.add}
        busy={add.isPending}
        error={add.error}
        onSubmit={() => {
          if (domain.trim()) add.mutate(domain.trim())
        }}
      >
        <TextField
          label={words.name}
          hint={words.hint}
          value={domain}
          onChange={setDomain}
          problem={problemsOf(add.error)['/domain_name']}
        />
      </FormDialog>
      {removing.about && <RemoveDialog wallet={id} domain={removing.about} onClose={removing.close} />}
    </Card>
  )
}

const RemoveDialog = ({
  wallet,
  domain,
  onClose,
}: {
  wallet: string
  domain: string
  onClose: () => void
}): ReactNode => (
  <ConfirmDialog
    danger
    title={words.remove(domain)}
    submit={commonWords.delete}
    text={words.removeText}
    done={words.removed}
    run={(api) => api.digitalWallets.domains.unregister(wallet, { domain_name: domain })}
    changes={[['digital-wallets']]}
    onClose={onClose}
  />
)
