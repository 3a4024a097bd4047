package org.weft.testkit.osd;

import java.util.concurrent.CompletableFuture;
import org.weft.protocol.error.ErrorCode;

/** What befalls one request at a {@link FakeOsd}. */
public sealed interface Fault {
  /** Nothing. */
  Fault NONE = new None();

  /** The connection ends before the command is carried out. */
  Fault CUT_BEFORE = new Cut(false);

  /** The command is carried out, then the connection ends before the reply. */
  Fault CUT_AFTER = new Cut(true);

  /** The command is not carried out and not answered. */
  Fault SILENCE = new Held(new CompletableFuture<>());

  /** A bit of the payload, request's or reply's, flips on the way. */
  Fault BIT_FLIP = new BitFlip(false);

  /** A bit of the reply's payload flips on the way. */
  Fault REPLY_BIT_FLIP = new BitFlip(true);

  /** The command is refused. */
  static Fault refuse(ErrorCode code) {
    return new Refused(code);
  }

  /** The command is carried out and answered once the gate opens. */
  static Fault hold(CompletableFuture<Void> gate) {
    return new Held(gate);
  }

  /** See {@link #NONE}. */
  record None() implements Fault {}

  /** See {@link #CUT_BEFORE} and {@link #CUT_AFTER}. */
  record Cut(boolean carriedOut) implements Fault {}

  /** See {@link #BIT_FLIP} and {@link #REPLY_BIT_FLIP}. */
  record BitFlip(boolean sparesRequest) implements Fault {}

  /** See {@link #refuse}. */
  record Refused(ErrorCode code) implements Fault {}

  /** See {@link #hold}. */
  record Held(CompletableFuture<Void> gate) implements Fault {}
}
