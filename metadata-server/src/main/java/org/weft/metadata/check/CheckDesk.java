package org.weft.metadata.check;

import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.CheckStatusReply;

/** Where checks of a volume are asked for, polled and cancelled. On the volume's thread. */
public interface CheckDesk {
  /** The check of a volume that is not served. */
  CheckDesk CLOSED =
      new CheckDesk() {
        @Override
        public CheckStatusReply start(boolean parity) throws WeftException {
          throw new WeftException(
              ErrorCode.UNAVAILABLE,
              "the volume is not served yet, and cannot be checked; try again");
        }

        @Override
        public CheckStatusReply status(long id, long afterFinding, int max) {
          return CheckStatusReply.getDefaultInstance();
        }

        @Override
        public CheckStatusReply cancel(long id) {
          return CheckStatusReply.getDefaultInstance();
        }
      };

  /**
   * Begins a check, or answers the one that is under way and looks at as much.
   *
   * @throws WeftException BUSY if one is under way that looks at less, UNAVAILABLE if none can
   *     begin
   */
  CheckStatusReply start(boolean parity) throws WeftException;

  /**
   * How far it is; a reply without a number if there is none.
   *
   * @param id 0: the newest one
   * @param afterFinding findings behind the one with this number are wanted
   * @param max at most so many
   */
  CheckStatusReply status(long id, long afterFinding, int max);

  /** Ends it, and says how far it was. One that is over is left as it is. */
  CheckStatusReply cancel(long id);
}
