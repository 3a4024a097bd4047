package org.weft.metadata.access;

import java.util.Optional;
import org.weft.client.osd.OsdFailure;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;

/** Distinguishes failures of an OSD from its refusals, which concern one object alone. */
public final class OsdTrouble {
  private OsdTrouble() {}

  /** The OSD that could not do what any OSD does; empty if the failure says no such thing. */
  public static Optional<OsdId> osdIn(Throwable failure) {
    return WeftException.of(failure).code().isOfServer()
        ? OsdFailure.osdIn(failure)
        : Optional.empty();
  }
}
