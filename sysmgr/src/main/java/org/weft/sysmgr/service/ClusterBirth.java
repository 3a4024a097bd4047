package org.weft.sysmgr.service;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.seam.Clock;
import org.weft.sysmgr.configuration.Command;
import org.weft.sysmgr.configuration.Partition;
import org.weft.sysmgr.configuration.Secret;

/**
 * What the first leader needs to make the cluster.
 *
 * @param clusterName a name for people
 * @param superuser owner of "/"
 */
public record ClusterBirth(String clusterName, String superuser) {
  private static final int ID_BYTES = 16;
  private static final int TOKEN_BYTES = 32;

  /**
   * Draws all that is random. The join token is a text, so that it can be copied by hand: 64
   * hexadecimal digits, whose ASCII bytes are the token.
   */
  Command.Format draw(RandomGenerator random, Clock clock) {
    String id = hex(random, ID_BYTES);
    byte[] token = hex(random, TOKEN_BYTES).getBytes(StandardCharsets.US_ASCII);
    byte[] rootKey = new byte[Partition.KEY_BYTES];
    random.nextBytes(rootKey);
    return new Command.Format(
        new ClusterId(id),
        clusterName,
        Secret.of(token),
        superuser,
        Secret.of(rootKey),
        clock.nowMillis());
  }

  private static String hex(RandomGenerator random, int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
