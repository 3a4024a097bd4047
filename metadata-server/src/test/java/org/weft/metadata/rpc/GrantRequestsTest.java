package org.weft.metadata.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.metadata.volume.operation.grant.CloseUnwritten;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.CloseUnwrittenRequest;
import org.weft.protocol.wire.UnwrittenFile;

class GrantRequestsTest {
  private static CloseUnwrittenRequest closing(int files) {
    CloseUnwrittenRequest.Builder request = CloseUnwrittenRequest.newBuilder();
    for (int file = 0; file < files; file++) {
      request.addFiles(UnwrittenFile.newBuilder().setObjectId(file).setGrant(file));
    }
    return request.build();
  }

  @Test
  void asManyFilesAreClosedTogetherAsTheBoundSays() throws WeftException {
    int most = CloseUnwritten.MAX_FILES;
    CloseUnwritten read = (CloseUnwritten) GrantRequests.closeUnwritten(closing(most)).operation();
    assertEquals(most, read.files().size());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 65})
  void noFileAndTooManyAreRefused(int files) {
    WeftException refusal =
        assertThrows(WeftException.class, () -> GrantRequests.closeUnwritten(closing(files)));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal.code());
    assertTrue(refusal.getMessage().contains("1 to 64"), refusal.getMessage());
  }
}
