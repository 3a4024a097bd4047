package org.weft.engines;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.v2.MiniMRYarnCluster;

/**
 * Hadoop's own YARN for tests: a resource manager, two node managers and a history server in this
 * process, until it is killed. Containers are processes of their own.
 */
final class YarnCluster implements Job {
  static final int NODES = 2;

  /** The argument is the directory whose yarn-site.xml gets the addresses once all are up. */
  @Override
  public String run(Run run, List<String> arguments) throws Exception {
    Path site = Path.of(arguments.get(0)).resolve("yarn-site.xml");
    MiniMRYarnCluster cluster = new MiniMRYarnCluster("yarn", NODES);
    cluster.init(new JobConf());
    cluster.start();
    Configuration clients = new Configuration(false);
    clients.addResource(new org.apache.hadoop.fs.Path(site.toUri()));
    for (Map.Entry<String, String> each : cluster.getConfig()) {
      String key = each.getKey();
      if (key.endsWith("address")
          && (key.startsWith("yarn.resourcemanager.") || key.startsWith("mapreduce.jobhistory."))) {
        clients.set(key, each.getValue());
      }
    }
    replace(site, clients);
    System.out.println(YarnJob.READY);
    new CountDownLatch(1).await();
    throw new IllegalStateException("a cluster does not end by itself");
  }

  private static void replace(Path site, Configuration clients) throws IOException {
    Path fresh = site.resolveSibling("yarn-site.xml.new");
    try (OutputStream out = Files.newOutputStream(fresh)) {
      clients.writeXml(out);
    }
    Files.move(fresh, site, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
