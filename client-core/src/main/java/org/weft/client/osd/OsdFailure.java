package org.weft.client.osd;

import java.util.Optional;
import org.weft.protocol.id.OsdId;

/** Says, among the causes of a failure, which OSD a call failed at. */
public final class OsdFailure extends Exception {
  private static final long serialVersionUID = 1L;

  private final int osdId;

  OsdFailure(OsdId osd, Throwable cause) {
    super("a call of OSD " + osd, cause, false, false);
    this.osdId = osd.value();
  }

  /** What another process met at an OSD, as its cause. */
  public static OsdFailure at(OsdId osd) {
    return new OsdFailure(osd, null);
  }

  /** The OSD that the call behind a failure was made of; empty if none is known. */
  public static Optional<OsdId> osdIn(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof OsdFailure named) {
        return Optional.of(new OsdId(named.osdId));
      }
    }
    return Optional.empty();
  }
}
