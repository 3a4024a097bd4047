package org.weft.sysmgr.service;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.seam.Clock;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Partition;

/**
 * The values that the first leader needs to make the cluster.
 *
 * @param clusterName a name for people
 * @param superuser owner of "/"
 * @param permission completes when the cluster may be made: never while a member may have lost the
 *     disk that knew of one
 * @param restored what is taken over in place of a new cluster
 */
public record ClusterBirth(
    String clusterName,
    String superuser,
    Supplier<CompletionStage<Void>> permission,
    Optional<Configuration> restored) {
  private static final int ID_BYTES = 16;
  private static final int TOKEN_BYTES = 32;

  /** Of a new cluster, which may be made at once. */
  public ClusterBirth(String clusterName, String superuser) {
    this(clusterName, superuser, () -> CompletableFuture.completedFuture(null), Optional.empty());
  }

  /** The first command of the log. */
  Command first(RandomGenerator random, Clock clock) {
    return restored.<Command>map(Command.Restore::new).orElseGet(() -> draw(random, clock));
  }

  /**
   * Draws all that is random. The join token is a text, so that it can be copied by hand: 64
   * hexadecimal digits, whose ASCII bytes are the token.
   */
  private Command.Format draw(RandomGenerator random, Clock clock) {
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
