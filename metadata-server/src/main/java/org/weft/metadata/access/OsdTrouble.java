package org.weft.metadata.access;

import java.util.Optional;
import org.weft.client.osd.OsdFailure;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;

/** Tells failures of an OSD from its refusals, which say something of one object alone. */
public final class OsdTrouble {
  private OsdTrouble() {}

  /** The OSD that could not do what any OSD does; empty if the failure says no such thing. */
  public static Optional<OsdId> osdIn(Throwable failure) {
    return isOfOsd(WeftException.of(failure).code()) ? OsdFailure.osdIn(failure) : Optional.empty();
  }

  /** True of a failure that another object would have met as well. */
  public static boolean isOfOsd(ErrorCode code) {
    return switch (code) {
      case INTERNAL,
          UNSUPPORTED,
          DEADLINE_EXCEEDED,
          CANCELLED,
          UNAVAILABLE,
          CONNECTION_LOST,
          OVERLOADED,
          WRONG_CLUSTER,
          VERSION_MISMATCH,
          UNAUTHENTICATED,
          CAPABILITY_INVALID,
          CAPABILITY_EXPIRED,
          NO_SUCH_PARTITION,
          NO_SPACE,
          BAD_MEDIA,
          STORE_FAILED,
          QUARANTINED ->
          true;
      default -> false;
    };
  }
}
