import * as declinedIn from '../../../checkout/decline-words.ts'
import type { Words } from './words.ts'

export const ja: Words = {
  lang: 'ja',
  sandbox: 'テスト環境です。実際のお金は動きません。',
  payTitle: (merchant) => `${merchant}へのお支払い`,
  order: 'ご注文内容',
  quantity: (count) => `数量：${count}`,
  total: '合計',
  payWith: 'お支払い方法をお選びください',
  redirectHint: (method) => `${method}のページでお支払いを承認したあと、このページに戻ります。`,
  storedCard: { ending: '末尾', expires: (date) => `有効期限 ${date}` },
  otherCard: '別のカード',
  name: { label: 'カード名義人', missing: 'カードに記載のとおりに名義人を入力してください。' },
  keepsCard: (merchant) => `${merchant}への次回以降のお支払いのため、カードは安全に保存されます。`,
  pay: (amount) => `${amount}を支払う`,
  reserves: (merchant) => `この時点では金額の確保のみを行います。請求は後日${merchant}が行います。`,
  confirm: '確認する',
  goOn: (method) => `${method}に進む`,
  paying: 'お支払い中…',
  private: (merchant) => `カード情報は暗号化され、${merchant}に知られることはありません。`,
  acceptTerms: (merchant) => `お支払いにより、${merchant}の利用規約に同意したことになります`,
  newTab: '（新しいタブで開きます）',
  noScript:
    'カード情報はブラウザから決済システムへ直接送信されます。そのためJavaScriptが必要です。有効にしてから、このページを再読み込みしてください。',
  declined: { title: 'お支払いは完了していません', ...declinedIn.ja },
  troubles: {
    tooMany: '操作の回数が多すぎます。1分ほど待ってから、もう一度お試しください。',
    offline:
      '接続できません。通信状況をご確認ください。お支払いが済んでいるかどうかは、このページが自動的に確認します。',
    failed: 'エラーが発生しました。請求は発生していません。もう一度お試しください。',
  },
  processing: {
    title: 'お支払いを処理しています',
    text: 'このページは自動的に進みます。もう一度お支払いにならないでください。',
  },
  approval: {
    title: 'お支払いの手続きが途中です',
    text: 'お支払いはお客様の承認を待っています。手続きを続けるか、別のお支払い方法をお選びください。',
    goOn: '手続きを続ける',
    otherWay: '別の方法で支払う',
  },
  completed: {
    title: 'ありがとうございました',
    paid: (amount, merchant) => `${merchant}に${amount}をお支払いいただきました。`,
    booking: (amount, merchant) =>
      `${merchant}への${amount}のお支払いを受け付けました。現在、処理を完了しています。`,
    reserved: (amount, merchant) =>
      `${merchant}のために${amount}を確保しました。まだ請求は発生していません。`,
    kept: (merchant) =>
      `今後、${merchant}がこのカードに請求できるようになりました。まだ請求は発生していません。`,
    checked: 'カードを確認しました。請求は発生していません。',
    noLongerKept: (merchant) =>
      `${merchant}へのお支払いは完了しています。詳細はここには表示されなくなりました。`,
  },
  receipt: {
    title: 'お支払いの詳細',
    reference: '照会番号',
    time: '日時',
    amount: '金額',
    method: 'お支払い手段',
    print: '印刷する',
  },
  released: {
    title: 'お支払いは取り消されました',
    text: (amount, merchant) => `${merchant}が${amount}の確保を解除しました。請求は発生していません。`,
  },
  expired: {
    title: 'この支払いリンクは有効期限が切れています',
    text: (merchant) => `請求は発生していません。${merchant}に新しいリンクをご依頼ください。`,
  },
  exhausted: {
    title: 'このリンクではお支払いいただけなくなりました',
    text: (merchant) =>
      `承認されなかったお支払いの回数が上限に達しました。請求は発生していません。${merchant}に新しいリンクをご依頼ください。`,
  },
  unavailable: {
    title: '現在ここではお支払いいただけません',
    text: (merchant) =>
      `請求は発生していません。後ほどもう一度お試しいただくか、お支払い方法を${merchant}にお問い合わせください。`,
  },
  unknown: {
    title: 'この支払いリンクは存在しません',
    text: 'リンクの一部が欠けている可能性があります。お受け取りになったリンクをもう一度開いてください。',
  },
  failed: {
    title: '現在このページをご利用いただけません',
    text: 'しばらくしてから再読み込みしてください。二重にお支払いになることはありません。',
  },
  backTo: (merchant) => `${merchant}に戻る`,
}
