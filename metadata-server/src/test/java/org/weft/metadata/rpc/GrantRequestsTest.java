package org.weft.metadata.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.metadata.volume.operation.grant.CloseUnwritten;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.CloseUnwrittenRequest;

class GrantRequestsTest {
  private static CloseUnwrittenRequest closing(int files, int grants) {
    return CloseUnwrittenRequest.newBuilder()
        .addAllObjectId(LongStream.range(0, files).boxed().toList())
        .addAllGrant(LongStream.range(0, grants).boxed().toList())
        .build();
  }

  @Test
  void asManyFilesAreClosedTogetherAsTheBoundSays() throws WeftException {
    int most = CloseUnwritten.MOST_FILES;
    CloseUnwritten read =
        (CloseUnwritten) GrantRequests.closeUnwritten(closing(most, most)).operation();
    assertEquals(most, read.files().size());
  }

  @ParameterizedTest
  @CsvSource({"0,0", "2,1", "1,2", "65,65"})
  void noneTooManyAndFilesWithoutGrantsAreRefused(int files, int grants) {
    WeftException refusal =
        assertThrows(
            WeftException.class, () -> GrantRequests.closeUnwritten(closing(files, grants)));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal.code());
    assertTrue(refusal.getMessage().contains("1 to 64"), refusal.getMessage());
  }
}
