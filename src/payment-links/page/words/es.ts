import * as declinedIn from '../../../checkout/decline-words.ts'
import type { Words } from './words.ts'

export const es: Words = {
  lang: 'es',
  sandbox: 'Entorno de pruebas: no se mueve dinero.',
  payTitle: (merchant) => `Pagar a ${merchant}`,
  order: 'Su pedido',
  quantity: (count) => `Cantidad: ${count}`,
  total: 'Total',
  payWith: '¿Cómo desea pagar?',
  redirectHint: (method) => `Irá a ${method} para aprobar el pago y luego volverá aquí.`,
  storedCard: { ending: 'terminada en', expires: (date) => `Caduca ${date}` },
  otherCard: 'Otra tarjeta',
  name: { label: 'Nombre en la tarjeta', missing: 'Escriba el nombre como aparece en la tarjeta.' },
  keepsCard: (merchant) => `Su tarjeta se guarda de forma segura para sus próximos pagos a ${merchant}.`,
  pay: (amount) => `Pagar ${amount}`,
  reserves: (merchant) => `El importe se reserva ahora. ${merchant} lo cobrará más adelante.`,
  confirm: 'Confirmar',
  goOn: (method) => `Continuar con ${method}`,
  paying: 'Pagando…',
  private: (merchant) => `Los datos de su tarjeta van cifrados y ${merchant} nunca los ve.`,
  acceptTerms: (merchant) => `Al pagar acepta los términos y condiciones de ${merchant}`,
  newTab: '(se abre en otra pestaña)',
  noScript:
    'Los datos de su tarjeta van directamente de su navegador al sistema de pago, que necesita JavaScript. Actívelo y vuelva a cargar esta página.',
  declined: { title: 'El pago no se ha realizado', ...declinedIn.es },
  troubles: {
    tooMany: 'Demasiados intentos. Espere un minuto e inténtelo de nuevo.',
    offline: 'No hay conexión. Compruebe la suya; esta página mira por sí sola si usted ha pagado.',
    failed: 'Algo ha fallado y no se ha cobrado nada. Inténtelo de nuevo.',
  },
  processing: {
    title: 'Su pago se está procesando',
    text: 'Esta página continúa por sí sola. No pague otra vez, por favor.',
  },
  approval: {
    title: 'Ha empezado a pagar',
    text: 'Su pago espera su aprobación. Continúe donde estaba o elija otra forma de pago.',
    goOn: 'Continuar',
    otherWay: 'Pagar de otra forma',
  },
  completed: {
    title: 'Gracias',
    paid: (amount, merchant) => `Ha pagado ${amount} a ${merchant}.`,
    booking: (amount, merchant) =>
      `Su pago de ${amount} a ${merchant} ha sido aceptado y se está completando.`,
    reserved: (amount, merchant) =>
      `${amount} han quedado reservados para ${merchant}. Aún no se ha cobrado nada.`,
    kept: (merchant) =>
      `A partir de ahora ${merchant} puede cobrar en su tarjeta. Aún no se ha cobrado nada.`,
    checked: 'Su tarjeta ha sido comprobada. No se ha cobrado nada.',
    noLongerKept: (merchant) =>
      `Su pago a ${merchant} se ha completado. Sus detalles ya no se muestran aquí.`,
  },
  receipt: {
    title: 'Datos del pago',
    reference: 'Referencia',
    time: 'Fecha y hora',
    amount: 'Importe',
    method: 'Medio de pago',
    print: 'Imprimir',
  },
  released: {
    title: 'El pago se ha anulado',
    text: (amount, merchant) => `${merchant} ha liberado los ${amount}. No se ha cobrado nada.`,
  },
  expired: {
    title: 'Este enlace de pago ha caducado',
    text: (merchant) => `No se ha cobrado nada. Pida a ${merchant} un enlace nuevo.`,
  },
  exhausted: {
    title: 'Este enlace ya no admite pagos',
    text: (merchant) =>
      `Se han rechazado demasiados pagos aquí. No se ha cobrado nada. Pida a ${merchant} un enlace nuevo.`,
  },
  unavailable: {
    title: 'Ahora no se puede pagar aquí',
    text: (merchant) => `No se ha cobrado nada. Inténtelo más tarde o pregunte a ${merchant} cómo pagar.`,
  },
  unknown: {
    title: 'Este enlace de pago no existe',
    text: 'Puede que el enlace esté incompleto. Ábralo de nuevo desde donde lo recibió.',
  },
  failed: {
    title: 'Esta página no funciona en este momento',
    text: 'Vuelva a cargarla dentro de un momento. Nada se paga dos veces.',
  },
  backTo: (merchant) => `Volver a ${merchant}`,
}
