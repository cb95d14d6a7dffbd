import type { DigitalWallet } from '@railyard/client'
import type { ReactNode } from 'react'
import { useNavigate, useParams } from 'react-router'
import { useAction, useLoad } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Detail, Details, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { CopyText } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { walletWords as words } from '../../words/connections/digital-wallets.ts'
import { WalletCertificates } from './wallet-certificates.tsx'
import { WalletDomains } from './wallet-domains.tsx'
import { type Provider, WalletForm, type WalletInput } from './wallet-form.tsx'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const query = useLoad(['digital-wallets', id], (api, signal) => api.digitalWallets.get(id, { signal }))
  return (
    <Loaded query={query} title={words.title} lines={8}>
      {(wallet) => <Wallet key={wallet.id} wallet={wallet} />}
    </Loaded>
  )
}

function Wallet({ wallet }: { wallet: DigitalWallet }): ReactNode {
  const { account } = useSignedIn()
  const may = useMay('digital-wallets.write')
  const maySeeCertificates = useMay('apple-pay-certificates.read')
  const navigate = useNavigate()
  const say = useSay()
  const deleting = useDialog()
  const home = `/${account}/digital-wallets`
  const name = words.providers[wallet.provider] ?? wallet.provider
  const isApple = wallet.provider === 'apple'
  const save = useAction({
    run: (api, input: WalletInput) => api.digitalWallets.update(wallet.id, input),
    onDone: () => say(words.form.saved),
    changes: [['digital-wallets']],
  })
  return (
    <Layout
      title={name}
      above={[{ text: words.title, to: home }]}
      actions={may && <Button onClick={() => deleting.open(true)}>{words.delete}</Button>}
    >
      <div className="max-w-3xl">
        {isApple && <WalletDomains wallet={wallet} />}
        {isApple && maySeeCertificates && <WalletCertificates wallet={wallet.id} />}
        {!may && <WalletDetails wallet={wallet} />}
      </div>
      {may && (
        <WalletForm
          provider={wallet.provider as Provider}
          wallet={wallet}
          back={home}
          busy={save.isPending}
          error={save.error}
          onSubmit={(input) => save.mutate(input)}
        />
      )}
      {deleting.about && (
        <ConfirmDialog
          danger
          title={`${words.delete}: ${name}`}
          submit={words.delete}
          text={words.deleteText}
          done={words.deleted}
          run={(api) => api.digitalWallets.delete(wallet.id)}
          onDone={() => void navigate(home)}
          changes={[
            ['digital-wallets', 'list'],
            ['digital-wallets', 'registered'],
          ]}
          onClose={deleting.close}
        />
      )}
    </Layout>
  )
}

/** For those who may not change it. */
const WalletDetails = ({ wallet }: { wallet: DigitalWallet }): ReactNode => (
  <Card title={words.form.details}>
    <Details>
      <Detail name={words.form.merchant_name}>{wallet.merchant_name}</Detail>
      <Detail name={words.form.merchant_display_name}>{wallet.merchant_display_name}</Detail>
      <Detail name={words.form.merchant_url}>
        {wallet.merchant_url && <CopyText text={wallet.merchant_url} />}
      </Detail>
      <Detail name={words.form.merchant_country_code}>{wallet.merchant_country_code}</Detail>
      <Detail name={words.form.merchant_category_code}>{wallet.merchant_category_code}</Detail>
      <Detail name={words.form.address}>
        {wallet.address &&
          [
            wallet.address.line1,
            wallet.address.line2,
            wallet.address.postal_code,
            wallet.address.city,
            wallet.address.state_code,
          ]
            .filter(Boolean)
            .join(', ')}
      </Detail>
    </Details>
  </Card>
)
