package org.weft.client.stripe.commit;

import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.error.WeftException;

/**
 * The manager's reply to the request to replace terms. Where others took their place before the
 * answer came, the question is settled and the answer changes nothing (P 6.5.108). To adopt terms
 * twice would number writes from 1 a second time under one grant.
 *
 * @param under the terms that were to be replaced
 */
record GrantAnswer(WriteTerms under, WriteEvent said) implements WriteEvent {
  /** It has granted other terms. */
  static GrantAnswer granted(WriteTerms under, WriteTerms next) {
    return new GrantAnswer(under, told -> told.granted(next));
  }

  /** It has granted nothing. */
  static GrantAnswer refused(WriteTerms under, WeftException why) {
    return new GrantAnswer(under, told -> told.refused(why));
  }

  @Override
  public void tell(FileWriteMachine machine) {
    if (machine.terms().grant().number() == under.grant().number()) {
      said.tell(machine);
    }
  }
}
