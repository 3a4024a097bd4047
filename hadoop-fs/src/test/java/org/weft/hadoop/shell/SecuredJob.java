package org.weft.hadoop.shell;

import java.security.PrivilegedExceptionAction;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.SaslRpcServer.AuthMethod;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.Tool;

/**
 * What a program does where Hadoop's security is on. A user with a Kerberos principal asks the file
 * system for delegation tokens in all the ways that programs do. The user submits a job of maps,
 * and does another user's work by proxy. No KDC is there; what needs a ticket is not asked for.
 * Prints what came of each step.
 */
public final class SecuredJob extends Configured implements Tool {
  private static final String REALM = "EXAMPLE.COM";
  private static final String RENEWER = "yarn/rm@" + REALM;
  private static final Text OTHER_SERVICE = new Text("namenode:8020");

  /**
   * @param arguments the submitting user, and the user that it acts for. Then a directory of text,
   *     the output directory of the job, and a file that the second user makes
   */
  @Override
  public int run(String[] arguments) throws Exception {
    Configuration conf = new Configuration(getConf());
    conf.set("hadoop.security.authentication", "kerberos");
    conf.set("yarn.resourcemanager.principal", RENEWER);
    System.setProperty("java.security.krb5.realm", REALM);
    System.setProperty("java.security.krb5.kdc", "127.0.0.1");
    UserGroupInformation.setConfiguration(conf);
    UserGroupInformation user = principal(arguments[0]);
    UserGroupInformation.setLoginUser(user);
    System.out.println("security " + UserGroupInformation.isSecurityEnabled());
    Path in = new Path(arguments[2]);
    Path out = new Path(arguments[3]);
    user.doAs(
        (PrivilegedExceptionAction<Void>)
            () -> {
              asksForTokens(in, conf);
              submits(in, out, conf);
              return null;
            });
    Path other = new Path(arguments[4]);
    UserGroupInformation.createProxyUser(arguments[1] + "@" + REALM, user)
        .doAs(
            (PrivilegedExceptionAction<Void>)
                () -> {
                  FileSystem fs = other.getFileSystem(conf);
                  fs.create(other).close();
                  System.out.println("proxy " + fs.getFileStatus(other).getOwner());
                  return null;
                });
    return 0;
  }

  private static UserGroupInformation principal(String user) {
    return UserGroupInformation.createRemoteUser(user + "@" + REALM, AuthMethod.KERBEROS);
  }

  private static void asksForTokens(Path path, Configuration conf) throws Exception {
    FileSystem fs = path.getFileSystem(conf);
    System.out.println("service " + fs.getCanonicalServiceName());
    System.out.println("token " + fs.getDelegationToken(RENEWER));
    Credentials credentials = new Credentials();
    Token<?> other =
        new Token<>(new byte[] {1}, new byte[] {2}, new Text("OF_ANOTHER"), OTHER_SERVICE);
    credentials.addToken(OTHER_SERVICE, other);
    System.out.println("added " + List.of(fs.addDelegationTokens(RENEWER, credentials)));
    TokenCache.obtainTokensForNamenodes(credentials, new Path[] {path}, conf);
    System.out.println("left " + List.copyOf(credentials.getAllTokens()).equals(List.of(other)));
    FileContext context = FileContext.getFileContext(path.toUri(), conf);
    System.out.println("of context " + context.getDelegationTokens(path, RENEWER));
  }

  /** Maps alone: a shuffle of Hadoop's asks for native code where security is on. */
  private static void submits(Path in, Path out, Configuration conf) throws Exception {
    Job job = Job.getInstance(conf, "secured");
    job.setNumReduceTasks(0);
    FileInputFormat.addInputPath(job, in);
    FileOutputFormat.setOutputPath(job, out);
    System.out.println("job " + job.waitForCompletion(false));
    System.out.println("tokens " + job.getCredentials().numberOfTokens());
    System.out.println("owner " + out.getFileSystem(conf).getFileStatus(out).getOwner());
  }
}
