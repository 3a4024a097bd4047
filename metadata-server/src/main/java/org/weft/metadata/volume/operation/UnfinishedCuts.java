package org.weft.metadata.volume.operation;

import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.SuspectOsds;
import org.weft.metadata.volume.execution.Execution;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;

/**
 * Cuts that their writers began and did not finish, in the draft of one execution (P 4.3). When the
 * last write grant on such a file ends, the same record opens one of the manager's own. Its number
 * is in no other use, and under it the truncation is finished ({@link
 * org.weft.metadata.volume.operation.length.FinishCut}). No client is granted the file for writing
 * meanwhile.
 *
 * <p>The grant awaits a resolve from the beginning. So whatever becomes of the truncation and of
 * this manager, the file is resolved before a client writes it. What is pending of the truncation
 * is decided like the writes of a dead writer. Where the truncation is not over by then, that
 * resolve ends with another grant of this kind. The exception is a file that lacks more components
 * than its code bears. Nothing is ever written to it again, so its truncation is given up (P
 * 6.8.161). The file was named as damaged when it lost them, and it goes with its name.
 */
public final class UnfinishedCuts {
  private static final String UNKNOWN = "a client that truncated it";

  private final Execution on;

  public UnfinishedCuts(Execution on) {
    this.on = on;
  }

  /**
   * The file has a truncation that cannot be finished. What is behind it may be in some components
   * and not in others, so nothing is to be computed from these.
   */
  public boolean isGivenUp(Attributes file) {
    return isWanted(file) && !isPossible(file);
  }

  /**
   * True if the manager is to finish the truncation of a file without a writer from now on.
   *
   * @throws WeftException TOO_MANY_LOST if it {@linkplain #isGivenUp is given up}
   */
  public boolean take(Attributes file) throws WeftException {
    if (isGivenUp(file)) {
      throw givenUp(file);
    }
    if (!isWanted(file)) {
      return false;
    }
    open(file, UNKNOWN, on.nowMillis());
    return true;
  }

  /** States of a file whose truncation is given up that nothing is computed from its components. */
  public static WeftException givenUp(Attributes file) {
    return new WeftException(
        ErrorCode.TOO_MANY_LOST,
        "%s, object %s, was truncated to %d bytes, and that cannot be finished: components %s are missing, more than it has parity units; write a new file in its place, or remove it"
            .formatted(
                file.parent().name(), file.object(), file.sizeBytes(), file.map().missing()));
  }

  /**
   * The last grant ends. The manager is to finish the truncation from now on, if that is possible.
   *
   * @param last says whose truncation it may have been
   */
  public void take(Attributes file, WriteGrant last) {
    if (isWanted(file) && isPossible(file)) {
      open(file, last.clientName(), last.sinceMillis());
    }
  }

  /** A file without a name has no writer any more, and goes with its last reader. */
  private boolean isWanted(Attributes file) {
    return file.truncation().trimBytes().isPresent() && !on.grants().isOrphan(file.object());
  }

  private static boolean isPossible(Attributes file) {
    return file.map().bears(file.map().missing());
  }

  private void open(Attributes file, String client, long sinceMillis) {
    Lsn number = on.draft().lsn();
    on.draft()
        .add(
            new LiveEffect.GrantOpened(
                number,
                number,
                file.object(),
                WriteGrant.NO_SESSION,
                file.map(),
                sinceMillis,
                client));
    SuspectOsds decided = new PowerLosses(on, file.object()).decided();
    if (!decided.isEmpty()) {
      // Where OSDs lost power their components are compared by now, and none is opened beside that.
      on.draft().add(new LiveEffect.GrantSuspects(number, file.object(), decided.compared()));
    }
    on.draft().add(new LiveEffect.GrantResolving(number, file.object()));
    // Said again: the number is an attempt's from now on, and components may be made under it.
    on.draft().add(new LiveEffect.GrantResolving(number, file.object()));
  }
}
