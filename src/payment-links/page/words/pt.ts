import * as declinedIn from '../../../checkout/decline-words.ts'
import type { Words } from './words.ts'

export const pt: Words = {
  lang: 'pt',
  sandbox: 'Ambiente de testes: não há movimento de dinheiro.',
  payTitle: (merchant) => `Pagar a ${merchant}`,
  order: 'A sua encomenda',
  quantity: (count) => `Quantidade: ${count}`,
  total: 'Total',
  payWith: 'Como quer pagar?',
  redirectHint: (method) => `Vai para ${method} para aprovar o pagamento e depois volta aqui.`,
  storedCard: { ending: 'terminado em', expires: (date) => `Válido até ${date}` },
  otherCard: 'Outro cartão',
  name: { label: 'Nome no cartão', missing: 'Introduza o nome tal como está no cartão.' },
  keepsCard: (merchant) =>
    `O seu cartão é guardado em segurança para os seus próximos pagamentos a ${merchant}.`,
  pay: (amount) => `Pagar ${amount}`,
  reserves: (merchant) => `O valor fica reservado agora. ${merchant} cobra-o mais tarde.`,
  confirm: 'Confirmar',
  goOn: (method) => `Continuar com ${method}`,
  paying: 'A pagar…',
  private: (merchant) => `Os dados do seu cartão são cifrados e ${merchant} nunca os vê.`,
  acceptTerms: (merchant) => `Ao pagar aceita os termos e condições de ${merchant}`,
  newTab: '(abre um novo separador)',
  noScript:
    'Os dados do seu cartão vão diretamente do seu navegador para o sistema de pagamento, que precisa de JavaScript. Ative-o e carregue esta página de novo.',
  declined: { title: 'O pagamento não foi efetuado', ...declinedIn.pt },
  troubles: {
    tooMany: 'Foram demasiadas tentativas. Espere um minuto e tente de novo.',
    offline: 'Não há ligação. Verifique a sua; esta página vê por si mesma se já pagou.',
    failed: 'Algo correu mal e nada foi cobrado. Tente de novo.',
  },
  processing: {
    title: 'O seu pagamento está a ser processado',
    text: 'Esta página continua por si mesma. Não pague outra vez, por favor.',
  },
  approval: {
    title: 'Começou a pagar',
    text: 'O seu pagamento espera pela sua aprovação. Continue onde estava ou escolha outra forma de pagar.',
    goOn: 'Continuar',
    otherWay: 'Pagar de outra forma',
  },
  completed: {
    title: 'Obrigado',
    paid: (amount, merchant) => `Pagou ${amount} a ${merchant}.`,
    booking: (amount, merchant) =>
      `O seu pagamento de ${amount} a ${merchant} foi aceite e está a ser concluído.`,
    reserved: (amount, merchant) => `${amount} ficaram reservados para ${merchant}. Ainda nada foi cobrado.`,
    kept: (merchant) => `A partir de agora ${merchant} pode cobrar no seu cartão. Ainda nada foi cobrado.`,
    checked: 'O seu cartão foi verificado. Nada foi cobrado.',
    noLongerKept: (merchant) =>
      `O seu pagamento a ${merchant} está concluído. Os detalhes já não são mostrados aqui.`,
  },
  receipt: {
    title: 'Dados do pagamento',
    reference: 'Referência',
    time: 'Data e hora',
    amount: 'Montante',
    method: 'Meio de pagamento',
    print: 'Imprimir',
  },
  released: {
    title: 'O pagamento foi anulado',
    text: (amount, merchant) => `${merchant} libertou os ${amount}. Nada foi cobrado.`,
  },
  expired: {
    title: 'Esta ligação de pagamento expirou',
    text: (merchant) => `Nada foi cobrado. Peça a ${merchant} uma nova ligação.`,
  },
  exhausted: {
    title: 'Esta ligação já não aceita pagamentos',
    text: (merchant) =>
      `Foram recusados demasiados pagamentos aqui. Nada foi cobrado. Peça a ${merchant} uma nova ligação.`,
  },
  unavailable: {
    title: 'De momento não é possível pagar aqui',
    text: (merchant) => `Nada foi cobrado. Tente mais tarde ou pergunte a ${merchant} como pagar.`,
  },
  unknown: {
    title: 'Esta ligação de pagamento não existe',
    text: 'A ligação pode estar incompleta. Abra-a de novo a partir de onde a recebeu.',
  },
  failed: {
    title: 'Esta página não funciona de momento',
    text: 'Carregue-a de novo daqui a pouco. Nada é pago duas vezes.',
  },
  backTo: (merchant) => `Voltar a ${merchant}`,
}
