/**
 * The one place where stored state changes. The {@code Committer} commits units of changes in one
 * batch each; a {@code Transaction} is one commit in the making; the {@code Checkpointer} makes
 * commits durable (P 5.9). {@code change} brings the kinds of changes. Uses {@code state}.
 */
package org.weft.osd.store.engine.commit;
