package org.weft.metadata.volume.operation;

import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.SuspectOsds;
import org.weft.metadata.volume.execution.Execution;
import org.weft.protocol.id.Lsn;

/** How write grants begin for clients; in the draft of one execution. */
public final class GrantStart {
  private final Execution on;

  public GrantStart(Execution on) {
    this.on = on;
  }

  /** The session's client may write the file, as the draft leaves it, under the draft's LSN. */
  public void open(Attributes file, boolean shared) {
    open(file, on.draft().lsn(), shared);
  }

  /**
   * As the other one, in the place of another grant.
   *
   * @param first the first of those that the client has had
   */
  public void open(Attributes file, Lsn first, boolean shared) {
    SuspectOsds decided = new PowerLosses(on, file.object()).decided();
    on.draft()
        .add(
            new LiveEffect.GrantOpened(
                on.draft().lsn(),
                first,
                file.object(),
                on.session().id(),
                file.map(),
                on.nowMillis(),
                on.session().clientName(),
                shared));
    new QuotaDesk(on).openShare(file);
    if (!decided.isEmpty()) {
      // The losses of those OSDs are decided: no write of the new grant was lost with their power.
      on.draft().add(new LiveEffect.GrantSuspects(on.draft().lsn(), file.object(), decided));
    }
  }
}
