package org.weft.osd.store.rocksdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.weft.osd.store.PassingException;

/** What RocksDB says of a read tells damage from what may pass. */
class RocksFailureTest {
  @ParameterizedTest
  @CsvSource({
    "IOError, While open a file for random read: 000012.sst: Too many open files, true",
    "IOError, While pread offset 0 len 4096: 000012.sst: Cannot allocate memory, true",
    "IOError, While pread offset 0 len 4096: 000012.sst: Input/output error, false",
    "Corruption, block checksum mismatch in 000012.sst, false",
    "TryAgain, later, true"
  })
  void wantsMayPassAndDamageDoesNot(Status.Code code, String state, boolean mayPass) {
    IOException failure =
        RocksKeyValueStore.failure(
            "reading", new RocksDBException(new Status(code, Status.SubCode.None, state)));
    assertEquals(mayPass, failure instanceof PassingException);
    assertTrue(failure.getMessage().contains(state), failure.getMessage());
  }
}
