/** Commands and daemons of Weft in processes of their own, and signals for them. */
package org.weft.soak.process;
