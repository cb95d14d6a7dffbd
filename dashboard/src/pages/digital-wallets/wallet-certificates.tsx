import type { ApplePayCertificate } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction, useLoad } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { Dialog, FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { Field, SelectField, TextArea } from '../../parts/forms/field.tsx'
import { SmallTable } from '../../parts/lists/small-table.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { CopyText, Json, Time } from '../../parts/values/values.tsx'
import { useMay } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { walletWords } from '../../words/connections/digital-wallets.ts'

const words = walletWords.certificates

const purposeOf = ({ purpose }: ApplePayCertificate): string => words.purposes[purpose] ?? purpose
const tones = { active: 'good', pending: 'warn', expired: 'bad' } as const

/** The certificates by which devices encrypt for the merchant, and by which Apple knows the merchant. */
export function WalletCertificates({ wallet }: { wallet: string }): ReactNode {
  const may = useMay('apple-pay-certificates.write')
  const say = useSay()
  const asking = useDialog()
  const shown = useDialog<ApplePayCertificate>()
  const uploading = useDialog<ApplePayCertificate>()
  const deleting = useDialog<ApplePayCertificate>()
  const [purpose, setPurpose] = useState<'payment-processing' | 'merchant-identity'>('payment-processing')
  const query = useLoad(['digital-wallets', wallet, 'certificates'], async (api, signal) => {
    const { items } = await api.digitalWallets.certificates.list(wallet, { signal }).page()
    return items
  })
  const changes = [['digital-wallets']]
  const ask = useAction({
    run: (api, input: typeof purpose) => api.digitalWallets.certificates.create(wallet, { purpose: input }),
    onDone: (certificate) => {
      say(words.asked)
      asking.close()
      shown.open(certificate)
    },
    changes,
  })
  const upload = useAction({
    run: (api, { id, certificate }: { id: string; certificate: string }) =>
      api.digitalWallets.certificates.update(wallet, id, { certificate }),
    onDone: () => {
      say(words.uploaded)
      uploading.close()
    },
    changes,
  })
  const actions = (certificate: ApplePayCertificate) => (
    <>
      <Button
        look="quiet"
        aria-label={words.requestOf(purposeOf(certificate))}
        onClick={() => shown.open(certificate)}
      >
        {words.request}
      </Button>
      {may && (
        <>
          {certificate.status === 'pending' && (
            <Button
              look="quiet"
              aria-label={words.uploadOf(purposeOf(certificate))}
              onClick={() => {
                upload.reset()
                uploading.open(certificate)
              }}
            >
              {words.upload}
            </Button>
          )}
          <Button
            look="quiet"
            aria-label={words.deleteOf(purposeOf(certificate))}
            onClick={() => deleting.open(certificate)}
          >
            {commonWords.delete}
          </Button>
        </>
      )}
    </>
  )
  return (
    <Card title={words.title} aside={may && <Button onClick={() => asking.open(true)}>{words.ask}</Button>}>
      <p className="mb-3 text-sm text-ink-2">{words.text}</p>
      <Loaded query={query}>
        {(certificates) => (
          <SmallTable
            label={words.title}
            rows={certificates}
            rowId={({ id }) => id}
            empty={words.none}
            columns={[
              { id: 'purpose', header: words.purpose, cell: purposeOf },
              {
                id: 'status',
                header: words.status,
                cell: ({ status }) => (
                  <Tag tone={tones[status as keyof typeof tones]}>{words.statuses[status] ?? status}</Tag>
                ),
              },
              { id: 'expires', header: words.expires, cell: ({ expires_at }) => <Time at={expires_at} /> },
              {
                id: 'created',
                header: words.created,
                wide: true,
                cell: ({ created_at }) => <Time at={created_at} />,
              },
              { id: 'actions', header: commonWords.actions, align: 'end', cell: actions },
            ]}
          />
        )}
      </Loaded>
      <FormDialog
        open={asking.about !== undefined}
        onClose={asking.close}
        title={words.ask}
        submit={words.ask}
        busy={ask.isPending}
        error={ask.error}
        onSubmit={() => ask.mutate(purpose)}
      >
        <SelectField
          label={words.purpose}
          hint={words.purposeHint}
          value={purpose}
          onChange={(next) => setPurpose(next as typeof purpose)}
          options={Object.entries(words.purposes).map(([value, text]) => [value, text ?? value])}
        />
      </FormDialog>
      {shown.about && (
        <Dialog
          open
          wide
          onClose={shown.close}
          title={words.requestOf(purposeOf(shown.about))}
          text={words.requestText}
        >
          <div className="mt-4 grid gap-3">
            <CopyText text={shown.about.certificate_signing_request} short />
            <Json value={shown.about.certificate_signing_request} />
            <Button className="justify-self-end" onClick={shown.close}>
              {commonWords.close}
            </Button>
          </div>
        </Dialog>
      )}
      {uploading.about && (
        <UploadDialog
          certificate={uploading.about}
          busy={upload.isPending}
          error={upload.error}
          onClose={uploading.close}
          onUpload={(certificate) => upload.mutate({ id: uploading.about?.id ?? '', certificate })}
        />
      )}
      {deleting.about && (
        <DeleteDialog wallet={wallet} certificate={deleting.about} onClose={deleting.close} />
      )}
    </Card>
  )
}

const DeleteDialog = ({
  wallet,
  certificate,
  onClose,
}: {
  wallet: string
  certificate: ApplePayCertificate
  onClose: () => void
}): ReactNode => (
  <ConfirmDialog
    danger
    title={words.deleteOf(purposeOf(certificate))}
    submit={commonWords.delete}
    text={words.deleteText}
    done={words.deleted}
    run={(api) => api.digitalWallets.certificates.delete(wallet, certificate.id)}
    changes={[['digital-wallets']]}
    onClose={onClose}
  />
)

/** A certificate as Apple gives it, PEM or DER, in the form that the API takes. */
async function readCertificate(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const text = new TextDecoder().decode(bytes)
  return text.startsWith('-----BEGIN') ? text : btoa(String.fromCharCode(...bytes))
}

function UploadDialog({
  certificate,
  busy,
  error,
  onClose,
  onUpload,
}: {
  certificate: ApplePayCertificate
  busy: boolean
  error: unknown
  onClose: () => void
  onUpload: (certificate: string) => void
}): ReactNode {
  const [text, setText] = useState('')
  return (
    <FormDialog
      open
      wide
      onClose={onClose}
      title={words.uploadOf(purposeOf(certificate))}
      text={words.uploadText}
      submit={words.upload}
      busy={busy}
      error={error}
      onSubmit={() => {
        if (text.trim()) onUpload(text.trim())
      }}
    >
      <Field label={words.file} optional>
        {(given) => (
          <input
            {...given}
            type="file"
            accept=".cer,.pem,.crt"
            className="text-sm"
            onChange={async ({ target }) => {
              const [file] = target.files ?? []
              // no certificate is larger
              if (file && file.size < 20_000) setText(await readCertificate(file))
            }}
          />
        )}
      </Field>
      <TextArea
        label={words.certificate}
        hint={words.certificateHint}
        rows={8}
        spellCheck={false}
        value={text}
        onChange={setText}
        problem={problemsOf(error)['/certificate']}
      />
    </FormDialog>
  )
}
