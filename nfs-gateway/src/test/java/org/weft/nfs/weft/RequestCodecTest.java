package org.weft.nfs.weft;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.ids.RequestOrigin;
import org.weft.nfs.files.Request;
import org.weft.nfs.files.RequestMark;

class RequestCodecTest {
  private static final InetAddress CLIENT = InetAddress.getLoopbackAddress();

  private static Optional<RequestOrigin> origin(RequestMark mark) {
    OnBehalfOf caller = new OnBehalfOf("ann", List.of("staff"), false);
    return RequestCodec.by(new Request(caller, new Request.Origin(CLIENT, 7, mark))).origin();
  }

  @Test
  void aChangeIsKnownByItsClientItsNumberAndItsDigest() {
    RequestMark mark = new RequestMark(5, 1L << 56, 9);
    byte[] digest = new byte[16];
    digest[0] = 1;
    digest[15] = 9;
    assertEquals(
        Optional.of(
            new RequestOrigin(
                ByteString.copyFrom(CLIENT.getAddress()), 7, 5, ByteString.copyFrom(digest))),
        origin(mark));
  }

  /**
   * With an origin, all calls of one number that carry no mark would get the first one's answer.
   */
  @Test
  void idempotentRequestHasNoOrigin() {
    assertEquals(Optional.empty(), origin(RequestMark.NONE));
  }
}
