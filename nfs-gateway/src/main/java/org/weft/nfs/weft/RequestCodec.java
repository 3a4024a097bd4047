package org.weft.nfs.weft;

import com.google.protobuf.ByteString;
import java.util.Optional;
import org.weft.client.ids.RequestBy;
import org.weft.client.ids.RequestOrigin;
import org.weft.client.ids.WriteStability;
import org.weft.nfs.files.Request;
import org.weft.nfs.files.RequestMark;
import org.weft.nfs.files.Stability;

/** Translates requests and answers between the gateway and Weft's client. */
final class RequestCodec {
  private RequestCodec() {}

  static RequestBy by(Request by) {
    return new RequestBy(by.caller(), origin(by.origin()));
  }

  /** None for what is carried out as often as it comes: its mark is that of other such calls. */
  private static Optional<RequestOrigin> origin(Request.Origin of) {
    RequestMark mark = of.mark();
    return mark.equals(RequestMark.NONE)
        ? Optional.empty()
        : Optional.of(
            new RequestOrigin(
                ByteString.copyFrom(of.client().getAddress()),
                of.number(),
                mark.checksum(),
                ByteString.copyFrom(mark.digest())));
  }

  static Stability stability(WriteStability stability) {
    return switch (stability) {
      case UNSTABLE -> Stability.UNSTABLE;
      case STABLE -> Stability.FILE;
    };
  }
}
