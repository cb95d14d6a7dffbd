import * as declinedIn from '../../../checkout/decline-words.ts'
import type { Words } from './words.ts'

export const ptBR: Words = {
  lang: 'pt-BR',
  sandbox: 'Ambiente de testes: não há movimentação de dinheiro.',
  payTitle: (merchant) => `Pagar ${merchant}`,
  order: 'Seu pedido',
  quantity: (count) => `Quantidade: ${count}`,
  total: 'Total',
  payWith: 'Como você quer pagar?',
  redirectHint: (method) => `Você vai para ${method} para aprovar o pagamento e depois volta para cá.`,
  storedCard: { ending: 'com final', expires: (date) => `Válido até ${date}` },
  otherCard: 'Outro cartão',
  name: { label: 'Nome no cartão', missing: 'Digite o nome como está no cartão.' },
  keepsCard: (merchant) =>
    `Seu cartão fica guardado com segurança para seus próximos pagamentos a ${merchant}.`,
  pay: (amount) => `Pagar ${amount}`,
  reserves: (merchant) => `O valor fica reservado agora. ${merchant} fará a cobrança depois.`,
  confirm: 'Confirmar',
  goOn: (method) => `Continuar com ${method}`,
  paying: 'Pagando…',
  private: (merchant) => `Os dados do seu cartão são criptografados e ${merchant} nunca os vê.`,
  acceptTerms: (merchant) => `Ao pagar, você aceita os termos e condições de ${merchant}`,
  newTab: '(abre uma nova aba)',
  noScript:
    'Os dados do seu cartão vão direto do seu navegador para o sistema de pagamento, que precisa de JavaScript. Ative-o e carregue esta página de novo.',
  declined: { title: 'O pagamento não foi feito', ...declinedIn.ptBR },
  troubles: {
    tooMany: 'Foram tentativas demais. Espere um minuto e tente de novo.',
    offline: 'Não há conexão. Confira a sua; esta página verifica sozinha se você já pagou.',
    failed: 'Algo deu errado e nada foi cobrado. Tente de novo.',
  },
  processing: {
    title: 'Seu pagamento está sendo processado',
    text: 'Esta página continua sozinha. Não pague de novo, por favor.',
  },
  approval: {
    title: 'Você começou a pagar',
    text: 'Seu pagamento espera sua aprovação. Continue de onde parou ou escolha outra forma de pagamento.',
    goOn: 'Continuar',
    otherWay: 'Pagar de outra forma',
  },
  completed: {
    title: 'Obrigado',
    paid: (amount, merchant) => `Você pagou ${amount} a ${merchant}.`,
    booking: (amount, merchant) =>
      `Seu pagamento de ${amount} a ${merchant} foi aceito e está sendo concluído.`,
    reserved: (amount, merchant) => `${amount} ficaram reservados para ${merchant}. Nada foi cobrado ainda.`,
    kept: (merchant) => `A partir de agora ${merchant} pode cobrar no seu cartão. Nada foi cobrado ainda.`,
    checked: 'Seu cartão foi verificado. Nada foi cobrado.',
    noLongerKept: (merchant) =>
      `Seu pagamento a ${merchant} foi concluído. Os detalhes não são mais exibidos aqui.`,
  },
  receipt: {
    title: 'Dados do pagamento',
    reference: 'Referência',
    time: 'Data e hora',
    amount: 'Valor',
    method: 'Meio de pagamento',
    print: 'Imprimir',
  },
  released: {
    title: 'O pagamento foi cancelado',
    text: (amount, merchant) => `${merchant} liberou os ${amount}. Nada foi cobrado.`,
  },
  expired: {
    title: 'Este link de pagamento expirou',
    text: (merchant) => `Nada foi cobrado. Peça um novo link a ${merchant}.`,
  },
  exhausted: {
    title: 'Este link não aceita mais pagamentos',
    text: (merchant) =>
      `Muitos pagamentos foram recusados aqui. Nada foi cobrado. Peça um novo link a ${merchant}.`,
  },
  unavailable: {
    title: 'No momento não é possível pagar aqui',
    text: (merchant) => `Nada foi cobrado. Tente mais tarde ou pergunte a ${merchant} como pagar.`,
  },
  unknown: {
    title: 'Este link de pagamento não existe',
    text: 'O link pode estar incompleto. Abra-o de novo de onde você o recebeu.',
  },
  failed: {
    title: 'Esta página não funciona no momento',
    text: 'Carregue-a de novo daqui a pouco. Nada é pago duas vezes.',
  },
  backTo: (merchant) => `Voltar para ${merchant}`,
}
