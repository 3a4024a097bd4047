package org.weft.nfs.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.weft.nfs.nlm.NetObject;

/** Owners as managers know them. */
class NlmOwnerTest {
  private static InetAddress address(int last) throws Exception {
    return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
  }

  private static NlmOwner owner(int client, int server, String name, int process, int owner)
      throws Exception {
    return new NlmOwner(
        address(client),
        address(server),
        name,
        process,
        new NetObject(new byte[] {(byte) owner}),
        false);
  }

  @Test
  void eachPartMakesAnotherOwner() throws Exception {
    List<NlmOwner> all =
        List.of(
            owner(1, 2, "host", 7, 1),
            owner(3, 2, "host", 7, 1),
            owner(1, 3, "host", 7, 1),
            owner(1, 2, "hosts", 7, 1),
            owner(1, 2, "host", 8, 1),
            owner(1, 2, "host", 7, 2));
    Set<ByteString> keys = all.stream().map(NlmOwner::key).collect(Collectors.toSet());
    assertEquals(all.size(), keys.size());
    assertEquals(owner(1, 2, "host", 7, 1).key(), all.get(0).key());
  }

  @Test
  void aKeyFitsAndTellsHostAndProcess() throws Exception {
    ByteString key = owner(1, 2, "a:very long näme of a host".repeat(9), -1, 1).key();
    assertTrue(key.size() <= 64, key.toStringUtf8());
    assertTrue(key.toStringUtf8().startsWith("nfs:a_very_long_n_me_of_:4294967295:"));
    assertEquals(-1, NlmOwner.processOf(key));
    assertEquals(0, NlmOwner.processOf(ByteString.copyFromUtf8("nfs:x:1:short")));
    assertEquals(0, NlmOwner.processOf(ByteString.copyFrom(new byte[] {-1, 0, 9})));
  }
}
