package org.weft.metadata.volume.operation;

import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.SuspectOsds;
import org.weft.metadata.volume.execution.Execution;
import org.weft.protocol.id.Lsn;

/**
 * Cuts that their writers began and did not finish, in the draft of one execution (P 4.3). When the
 * last write grant on such a file ends, the same record opens one of the manager's own: under its
 * number, which no other has, the cut is finished ({@link
 * org.weft.metadata.volume.operation.length.FinishCut}). No client is granted the file for writing
 * meanwhile.
 *
 * <p>The grant awaits a resolve from the beginning. So whatever becomes of the cut and of this
 * manager, the file is resolved before anybody writes it, and what is pending of the cut is decided
 * as that of a dead writer. Where the cut is not over by then, that resolve ends with another grant
 * of this kind.
 */
public final class UnfinishedCuts {
  private static final String UNKNOWN = "a client that cut it";

  private final Execution on;

  public UnfinishedCuts(Execution on) {
    this.on = on;
  }

  /** True if the cut of a file that nobody writes is the manager's to finish from now on. */
  public boolean take(Attributes file) {
    return take(file, UNKNOWN, on.nowMillis());
  }

  /**
   * The same when the last grant ends.
   *
   * @param last says whose cut it may have been
   */
  public boolean take(Attributes file, WriteGrant last) {
    return take(file, last.clientName(), last.sinceMillis());
  }

  private boolean take(Attributes file, String client, long sinceMillis) {
    // What has no name is written by nobody any more, and goes with its last reader.
    if (file.truncation().trimBytes().isEmpty() || on.grants().isOrphan(file.object())) {
      return false;
    }
    Lsn number = on.draft().lsn();
    on.draft()
        .add(
            new LiveEffect.GrantOpened(
                number,
                number,
                file.object(),
                WriteGrant.NOBODYS,
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
    return true;
  }
}
