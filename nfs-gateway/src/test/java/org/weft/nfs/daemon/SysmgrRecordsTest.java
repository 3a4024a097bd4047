package org.weft.nfs.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.weft.nfs.monitor.MonitoredClient;
import org.weft.protocol.wire.NfsWatchedRow;

/** How SysMgr's list names addresses (P 6.5f). */
class SysmgrRecordsTest {
  private static final int PORT = 2_049;

  private static InetAddress scoped(String address, int scope) throws UnknownHostException {
    return Inet6Address.getByAddress(null, InetAddress.getByName(address).getAddress(), scope);
  }

  /** Interfaces say %eth0, channels %0 or nothing. */
  @Test
  void anAddressHasOneTextWhateverInterfaceItSays() throws UnknownHostException {
    InetAddress bare = InetAddress.getByName("fd00::2");
    for (int scope : new int[] {0, 7}) {
      NfsWatchedRow row =
          SysmgrRecords.row(
              new MonitoredClient(scoped("fd00::2", scope), scoped("fd00::9", scope), "a"), PORT);
      assertEquals(SysmgrRecords.address(bare, PORT), row.getServer());
      assertEquals(InetAddress.getByName("fd00::9").getHostAddress(), row.getClient());
      assertEquals(row.getServer(), SysmgrRecords.address(scoped("fd00::2", scope), PORT));
    }
  }

  @Test
  void aClientThatIsReachedByAnInterfaceAloneKeepsItsNumber() throws UnknownHostException {
    MonitoredClient client = new MonitoredClient(scoped("fe80::2", 7), scoped("fe80::9", 7), "a");
    NfsWatchedRow row = SysmgrRecords.row(client, PORT);
    assertEquals("fe80:0:0:0:0:0:0:2", row.getServer().getHost());
    assertEquals("fe80:0:0:0:0:0:0:9%7", row.getClient());
  }
}
